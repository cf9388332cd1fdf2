"""The weighted words by which modality and domain are told."""

from collections.abc import Mapping, Sequence

from schema.task import Domain, Modality

Words = Sequence[tuple[str, float]]
"""Patterns with their weights; each counts by the logarithm of how often it occurs."""

MODALITY_FILES: Mapping[Modality, str] = {
    Modality.IMAGE: "jpg jpeg png tif tiff bmp dcm nii svg gif mp4 avi mov tfrecord tfrecords",
    Modality.AUDIO: "wav mp3 flac ogg aif aiff",
    Modality.GRAPH: "graphml gml edgelist",
}
"""File name endings that speak for a modality."""

MODALITY_FOLDERS: Mapping[Modality, str] = {
    Modality.IMAGE: r"images?|imgs?|jpe?gs?|photos|pictures|videos?|dicoms?",
    Modality.AUDIO: r"audio|wavs?|recordings|sounds|clips",
}
"""Names of folders and archives that speak for a modality, alone or at the end: `train_images/`."""

MODALITY_WORDS: Mapping[Modality, Words] = {
    Modality.IMAGE: (
        (r"\bimages?\b|\bimagery\b", 2.0),
        (r"\b(?:jpe?gs?|png|tiffs?|dicom|nifti)\b", 1.0),
        (r"\bphoto(?:graph)?s?\b(?! (?:by|credit|courtesy))|\bpictures?\b|\bsnapshots?\b", 1.5),
        (
            (
                r"\b(?:x-?rays?|radiographs?|mris?|ct scans?|ct|scans?|slides?|microscop\w+"
                r"|histopatholog\w+|ultrasound)\b"
            ),
            1.2,
        ),
        (r"\bpixels?\b|\bpixel values\b|\bgr[ae]y[- ]?(?:scale|levels?|values?)\b|\bbrightness\b", 1.2),
        (
            (
                r"\bcamera\b|\bvideos?\b|\bframes?\b|\bcomputer vision\b|\bbounding box(?:es)?\b"
                r"|\bsegmentation masks?\b"
            ),
            1.0,
        ),
    ),
    Modality.AUDIO: (
        (r"\baudio\b|\bsound(?:scape)?s?\b|\bacoustic\w*", 2.0),
        (r"\b(?:mp3|wav|wave files?|flac|ogg|aiff)\b", 1.5),
        (r"\brecordings?\b|\bclips?\b|\bmicrophones?\b|\bhydrophones?\b", 1.3),
        (
            (
                r"\bspectrograms?\b|\bspectr(?:um|a|al)\b|\bwaveforms?\b|\bdecibels?\b|\bhz\b"
                r"|\bkhz\b|\bsampling rate\b|\bpitch\b"
            ),
            0.8,
        ),
        (r"\bspeech\b|\bspoken\b|\bvoices?\b|\b(?:bird)?songs?\b|\bmusic\b|\bnoise\b|\bcalls?\b", 0.7),
    ),
    Modality.TEXT: (
        (r"\btexts?\b|\btextual\b", 1.6),
        (
            (
                r"\b(?:comments?|essays?|tweets?|sentences?|paragraphs?|passages?|excerpts?"
                r"|phrases?|articles?|abstracts?|blurbs?|clues?"
                r"|captions?|riddles?|poems?|lyrics|jokes?|diar(?:y|ies)|stories|complaints?"
                r"|quotations?|handwriting)\b"
            ),
            1.4,
        ),
        (
            (
                r"\b(?:reviews?|posts?|messages?|emails?|letters|documents?|transcripts?"
                r"|headlines?|notes|newsgroups?|prompts?)\b"
            ),
            1.0,
        ),
        (
            (
                r"\bnatural language\b|\bnlp\b|\blanguage models?\b|\bllms?\b|\bword2vec\b"
                r"|\bsentiment\b|\bwritten\b|\breading\b"
            ),
            1.2,
        ),
        (r"\b(?:words?|tokens?|vocabulary|language|questions?|answers?|chat(?:bot)?s?)\b", 0.8),
    ),
    Modality.GRAPH: (
        (r"\bgraphs?\b(?! below| above)|\bknowledge graph\b", 2.0),
        (r"\bnodes?\b|\bvert(?:ex|ices)\b", 1.5),
        (r"\bedges?\b|\bedge list\b|\badjacen\w+|\bneighbou?rs?\b", 1.2),
        (
            (
                r"\b(?:citation|social|co-?author\w*|road|trade|interaction) networks?\b"
                r"|\bnetworks? of\b|\blink prediction\b|\bdegree\b"
            ),
            1.2,
        ),
    ),
    Modality.TABULAR: (
        (r"\btabular\b|\bspreadsheets?\b", 2.5),
        (r"\b(?:features?|columns?|fields?|variables?|attributes?)\b", 0.7),
        (r"\b(?:numeric(?:al)?|categorical|continuous|binary|ordinal|anonymi[sz]ed|integers?)\b", 0.8),
        (
            (
                r"\b(?:customers?|sales|stores?|prices?|transactions?|demand|orders?|loans?"
                r"|claims?|insurance|accounts?|purchas\w+|products?)\b"
            ),
            0.6,
        ),
        (
            (
                r"\b(?:sensors?|measurements?|readings?|telemetry|time[- ]series|timestamps?"
                r"|hourly|daily|temperature|pressure|coordinates?)\b"
            ),
            0.6,
        ),
    ),
}

DOMAIN_WORDS: Mapping[Domain, Words] = {
    Domain.FINANCE: (
        (
            (
                r"\b(?:banks?|credit|loans?|stocks?|trad(?:e|ing)|bonds?|insurance|invest\w+"
                r"|financ\w+|claims?|fraud|portfolio|currency|market prices?)\b"
            ),
            1.0,
        ),
    ),
    Domain.MEDICINE: (
        (
            (
                r"\b(?:patients?|clinical|medical|diseases?|diagnos\w+|hospitals?|cancer|tumou?rs?"
                r"|doctors?|surg\w+|radiolog\w+|health(?:care)?|symptoms?|covid-?19|lungs?"
                r"|kidneys?|eeg|ecg|seizures?|retin\w+)\b"
            ),
            1.0,
        ),
    ),
    Domain.ECOMMERCE: (
        (
            (
                r"\b(?:customers?|products?|purchas\w+|retail\w*|stores?|shop(?:s|ping|per|pers)?"
                r"|e-?commerce|sales|checkout|basket|orders|marketplace|brands?)\b"
            ),
            0.9,
        ),
    ),
    Domain.EDUCATION: (
        (
            (
                r"\b(?:students?|teachers?|schools?|essays?|learners?|education\w*|exams?"
                r"|classrooms?|grading|pupils?|course(?:s|work)?|curriculum|misconceptions?)\b"
            ),
            1.0,
        ),
    ),
    Domain.BIOINFORMATICS: (
        (
            (
                r"\b(?:proteins?|genes?|genom\w+|dna|m?rna|cells?|enzymes?|amino|biolog\w+"
                r"|molecular biology|sequencing|mutations?|bacteria\w*|antibod\w+)\b"
            ),
            1.1,
        ),
    ),
    Domain.CLIMATE_EARTH: (
        (
            (
                r"\b(?:climate|weather|rain\w*|temperature|earthquakes?|volcan\w+|soil|forests?"
                r"|ocean\w*|satellite|species|biodiversity|wildlife|plants?|birds?|whales?"
                r"|ecolog\w+|flood\w*|glaciers?|herbari\w+|air quality|river|crops?|animals?"
                r"|flora|fauna|vegetation|leaf|leaves|foliar|orchards?|agricultur\w*|farm(?:s|ers?|ing)"
                r"|mushrooms?|seedlings?)\b"
            ),
            0.9,
        ),
    ),
    Domain.PHYSICS_CHEMISTRY: (
        (
            (
                r"\b(?:physics|particles?|molecul\w+|chemi\w+|neutrinos?|collider|quantum"
                r"|spectroscop\w+|telescopes?|gravitational|astronom\w+|galax\w+|atoms?"
                r"|crystal\w*|compounds?|reaction)\b"
            ),
            1.0,
        ),
    ),
    Domain.SPORTS_GAMES: (
        (
            (
                r"\b(?:players?|games?|match(?:es)?|sports?|football|nfl|nba|basketball|soccer|chess"
                r"|league|tournament|teams' scores|goals scored|athletes?)\b"
            ),
            0.8,
        ),
    ),
    Domain.INDUSTRIAL_VISION: (
        (
            (
                r"\b(?:manufactur\w+|factor(?:y|ies)|defects?|inspection|steel|production line"
                r"|assembly|machin(?:e|es|ery) failure|quality control|industrial|welds?|ships?)\b"
            ),
            1.1,
        ),
    ),
    Domain.LANGUAGE: (
        (
            (
                r"\b(?:language|linguistic\w*|translat\w+|grammar|text[- ]to[- ]speech"
                r"|normali[sz]ation|words?|sentences?|nlp|speech|dialects?|question[- ]answering"
                r"|llms?|chatbots?|patents?|essays?)\b"
            ),
            0.7,
        ),
    ),
    Domain.SOCIAL: (
        (
            (
                r"\b(?:social|tweets?|twitter|comments?|toxic\w*|insincere|communit(?:y|ies)|users?|forums?"
                r"|reddit|news|crime|politic\w+|posts?|conversations?|population|survey"
                r"|citizens?)\b"
            ),
            0.7,
        ),
    ),
    Domain.SECURITY: (
        (
            (
                r"\b(?:malware|intrusion|attacks?|phishing|security|cyber\w*|passwords?"
                r"|steganograph\w*|vulnerabilit\w+|spam|anomaly detection|threats?|permissions?"
                r"|authoriz\w+|access (?:control|rights?|requests?)|encrypt\w*|cipher\w*)\b"
            ),
            1.2,
        ),
    ),
    Domain.TRANSPORT: (
        (
            (
                r"\b(?:taxis?|traffic|vehicles?|trips?|roads?|driv(?:er|ers|ing)|cars?|flights?"
                r"|railways?|trains? (?:delay|station)\w*|bus(?:es)?|bikes?|autonomous|routes?|gps|gnss"
                r"|positioning|navigation|smartphone positioning|parking|ferr(?:y|ies))\b"
            ),
            0.9,
        ),
    ),
    Domain.ENERGY: (
        (
            (
                r"\b(?:energy|electricity|power (?:grid|plant|station|demand|output)|solar"
                r"|wind (?:farm|turbine|power)s?|turbines?|batter(?:y|ies)|meters?|heating|oil|gas"
                r"|photovoltaic|consumption|grid)\b"
            ),
            1.0,
        ),
    ),
}
