"""Names that would like to be markup, for tests of pages."""

from __future__ import annotations

#: Payloads for every place where text could become markup, script, style or an address.
PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</template></style></script><svg onload=alert(1)>",
    "javascript:alert(1)//",
    "<!--' onmouseover='alert(1)' x='",
    "{{7*7}}${7*7}\\u003cb\\u003e",
    "__proto__",
    "a,b&topic=x#%2C%zz=1",
    "\u202egnp.exe\u202c",
)
