"""Official interfaces of platforms: the way that their terms prefer, where the user has a token."""
