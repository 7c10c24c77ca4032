"""Written forms that mean the same in every language: each is recognised here once.

A date, a sum, a range or an address looks alike wherever it stands; what differs is how it is said. So
the patterns are in these modules, and a language is a :class:`~.language.Language`: tables of words and
small functions that say one form. :func:`~.table.table_of` puts both together in the one order that all
languages share.
"""
