"""`python -m graders.constraints` writes the page about the judges to standard output."""

import sys

from graders.constraints.labelled.page import page

sys.stdout.write(page())
