# SPDX-License-Identifier: Apache-2.0
"""Validates JSON against a JSON Schema (draft 2020-12), as far as this project's schemas go. A keyword
that is not known here is an error of the schema, so that nothing in it goes unchecked."""

import re

# Annotations that do not restrict the value.
ANNOTATIONS = {"$schema", "$id", "$comment", "$defs", "title", "description"}

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    # 1.0 is an integer too (6.1.1 of the validation vocabulary).
    "integer": lambda v: TYPES["number"](v) and v == int(v),
}


class SchemaError(Exception):
    """The schema is invalid, or uses a keyword that this validator does not support."""


def same(a, b):
    """Equal as JSON: 1 is 1.0, but not true."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


class Validator:
    def __init__(self, schema):
        self.root = schema

    def errors(self, value):
        """Returns the errors in `value`, each with its location."""
        return list(self._check(self.root, value, "$"))

    def _resolve(self, reference):
        if not reference.startswith("#/"):
            raise SchemaError(f"$ref {reference} does not point into this schema")
        at = self.root
        for step in reference[2:].split("/"):
            if step not in at:
                raise SchemaError(f"$ref {reference} points to nothing")
            at = at[step]
        return at

    def _check(self, schema, value, place):
        if isinstance(schema, bool):
            if not schema:
                yield f"{place}: nothing may be here"
            return
        for keyword in schema:
            if keyword in ANNOTATIONS or keyword in ("then", "else"):
                continue
            check = getattr(self, "keyword_" + keyword.lstrip("$"), None)
            if check is None:
                raise SchemaError(f"keyword {keyword} is not known")
            yield from check(schema, value, place)

    def keyword_ref(self, schema, value, place):
        yield from self._check(self._resolve(schema["$ref"]), value, place)

    def keyword_type(self, schema, value, place):
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if unknown := [name for name in names if name not in TYPES]:
            raise SchemaError(f"type {unknown} is not known")
        if not any(TYPES[name](value) for name in names):
            yield f"{place}: {value!r:.60} is not of type {' or '.join(names)}"

    def keyword_const(self, schema, value, place):
        if not same(schema["const"], value):
            yield f"{place}: {value!r:.60} is not {schema['const']!r}"

    def keyword_enum(self, schema, value, place):
        if not any(same(allowed, value) for allowed in schema["enum"]):
            yield f"{place}: {value!r:.60} is none of {schema['enum']}"

    def keyword_pattern(self, schema, value, place):
        if isinstance(value, str) and not re.search(schema["pattern"], value):
            yield f"{place}: {value!r:.60} does not match {schema['pattern']}"

    def keyword_minLength(self, schema, value, place):
        if isinstance(value, str) and len(value) < schema["minLength"]:
            yield f"{place}: {value!r} is shorter than {schema['minLength']}"

    def keyword_minItems(self, schema, value, place):
        if isinstance(value, list) and len(value) < schema["minItems"]:
            yield f"{place}: has {len(value)} elements of at least {schema['minItems']}"

    def keyword_items(self, schema, value, place):
        for i, element in enumerate(value if isinstance(value, list) else []):
            yield from self._check(schema["items"], element, f"{place}[{i}]")

    def keyword_required(self, schema, value, place):
        for key in schema["required"] if isinstance(value, dict) else []:
            if key not in value:
                yield f"{place}: {key} is missing"

    def keyword_properties(self, schema, value, place):
        for key, inner in schema["properties"].items() if isinstance(value, dict) else []:
            if key in value:
                yield from self._check(inner, value[key], f"{place}.{key}")

    def keyword_additionalProperties(self, schema, value, place):
        named = schema.get("properties", {})
        for key, inner in value.items() if isinstance(value, dict) else []:
            if key not in named:
                yield from self._check(schema["additionalProperties"], inner, f"{place}.{key}")

    def keyword_propertyNames(self, schema, value, place):
        for key in value if isinstance(value, dict) else []:
            yield from self._check(schema["propertyNames"], key, f"{place}, key")

    def keyword_allOf(self, schema, value, place):
        for inner in schema["allOf"]:
            yield from self._check(inner, value, place)

    def keyword_not(self, schema, value, place):
        if not list(self._check(schema["not"], value, place)):
            yield f"{place}: {value!r:.60} is what it may not be"

    def keyword_if(self, schema, value, place):
        branch = "else" if list(self._check(schema["if"], value, place)) else "then"
        if branch in schema:
            yield from self._check(schema[branch], value, place)
