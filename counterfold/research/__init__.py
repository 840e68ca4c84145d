"""Papers made again, a folder each, and what is measured of ourselves in ``bench``.

A folder has its experiments, its pictures, its verb and a README with ours beside the published
figures. ``cli.verbs.research`` knows the verbs by name.
"""
