def f(a):
    """doc
    more"""
    return a + 1 if a is None else "x"
