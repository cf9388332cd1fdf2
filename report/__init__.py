"""The report: a static site made of records. Pure: values in, text of files out; nothing is opened here."""
