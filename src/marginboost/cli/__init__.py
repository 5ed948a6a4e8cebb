"""The command line: one file per command, each with ``configure``, ``run`` and ``show``.

``run`` answers with plain data, ``show`` prints that data for people, ``--json`` for machines; so
the two cannot say different things. Modules here import nothing heavy before a command runs:
``marginboost --help`` answers at once. To add a command, write its file and list it in
:mod:`.commands`.
"""
