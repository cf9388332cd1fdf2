"""`python -m tam`."""

from tam.cli import main

main()
