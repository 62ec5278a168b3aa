"""The doctor: looks at everything an instance needs, and says in plain words what is wrong and how to mend it.

Each check stands alone, so that it works while half of the rest is down.
"""
