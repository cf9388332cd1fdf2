"""`python -m graders.metrics` writes the page of all metrics to standard output."""

import sys

from graders.metrics.page import page

sys.stdout.write(page())
