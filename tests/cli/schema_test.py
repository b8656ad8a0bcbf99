# SPDX-License-Identifier: Apache-2.0
"""--format json conforms to docs/schema/findings.schema.json, and the schema rejects wrong output.

Run by ctest; by hand: MANSARD=build/dev/bin/mansard python3 -m unittest -v schema_test"""

import copy
import json
import pathlib
import tempfile
import unittest

from cli_test import EXAMPLES, SMALL_LAYER, run
from json_schema import SchemaError, Validator

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/findings.schema.json").read_text(encoding="utf-8"))
MACHINE = EXAMPLES / "machine.json"
TRAINING = EXAMPLES / "training"


def no_number(word):
    raise ValueError(f"{word} is not JSON")


def parse(text):
    return json.loads(text, parse_constant=no_number)


def rule_errors(output):
    """Checks the rules that the schema states only in text: rows have all columns, with their types."""
    for finding in output["findings"]:
        for table in finding["tables"]:
            place = f"{finding['id']}.{table['id']}"
            keys = [column["key"] for column in table["columns"]]
            if len(set(keys)) != len(keys):
                yield f"{place}: a key twice in {keys}"
            for row in table["rows"]:
                if list(row) != keys:
                    yield f"{place}: row of {list(row)}, columns {keys}"
                    continue
                for column in table["columns"]:
                    value = row[column["key"]]
                    expected = {"text": str}.get(column["format"], (int, float))
                    if value is not None and not isinstance(value, expected):
                        yield f"{place}.{column['key']}: {value!r} as {column['format']}"


class Outputs(unittest.TestCase):
    def check(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertIn(result.returncode, (0, 3), result.stderr)
        output = parse(result.stdout)
        self.assertEqual(Validator(SCHEMA).errors(output), [], arguments)
        self.assertEqual(list(rule_errors(output)), [], arguments)
        self.assertTrue(output["findings"], arguments)
        return output

    def json_of(self, command, *arguments):
        return self.check(command, *arguments, "--format", "json")

    def test_every_analysis(self):
        listed = self.json_of("list", "analyses")
        names = [row["name"] for row in listed["findings"][0]["tables"][0]["rows"]]
        self.assertGreater(len(names), 8)
        recordings = [TRAINING / "llama_bf16.sqlite", EXAMPLES / "h200_pytorch_counters.sqlite",
                      EXAMPLES / "h200_layer_nvfp4.sqlite"]
        for recording in recordings:
            output = self.json_of("analyze", recording, "--machine", MACHINE)
            self.assertGreaterEqual(len(output["findings"]), len(names))
        for name in names:
            self.json_of("analyze", recordings[-1], "--analysis", name)
        self.json_of("analyze", recordings[-1], "--what-if", "gemm=sol", "--machine", MACHINE)

    def test_without_a_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/run.sqlite"
            self.assertEqual(run("profile", "-o", file, "--", *SMALL_LAYER).returncode, 0)
            self.json_of("analyze", file)

    def test_explain_and_compare(self):
        bf16, fp8 = TRAINING / "layer_bf16.sqlite", TRAINING / "layer_fp8.sqlite"
        self.json_of("explain", bf16, "--machine", MACHINE)
        self.json_of("explain", "--baseline", bf16, "--candidate", fp8, "--machine", MACHINE)
        self.json_of("compare", bf16, fp8)
        self.json_of("compare", bf16, fp8, "--fail-above", "3%")
        self.json_of("compare", MACHINE, MACHINE)

    def test_machines_predictions_and_the_rest(self):
        self.json_of("predict", "--machine", "gb200", "--recipe", "nvfp4", "--against", "bf16")
        self.json_of("predict", "--goodput", "--simulate", "--replications", "3")
        self.json_of("show", MACHINE)
        self.json_of("list")
        self.json_of("doctor")
        self.json_of("characterize", "--device", "cpu", "--only", "cpu_fma_fp64,cpu_triad", "--min-time",
                     "0", "--min-samples", "2", "--max-time", "0.01")

    def test_counters(self):
        counters = "counters", "--chip", "GH100"
        result = run(*counters)
        if result.returncode != 0 and "this build has no CUPTI" in result.stderr:
            self.skipTest(result.stderr.strip())
        self.json_of(*counters)

    def test_reports(self):
        files = TRAINING / "layer_bf16.sqlite", TRAINING / "layer_fp8.sqlite"
        self.json_of("report", *files, "--baseline", files[0], "--machine", MACHINE)

    def test_run_and_export(self):
        self.check(*SMALL_LAYER[1:], "--format", "json")
        self.check("export", TRAINING / "layer_fp8.sqlite", "--to", "json", "--machine", MACHINE)


class TheSchemaCanFail(unittest.TestCase):
    """Breaks each rule of the schema in an otherwise valid output."""

    OUTPUT = {"schema_version": 3, "findings": [{
        "id": "kernels", "title": "Kernels", "summary": "", "tables": [{
            "id": "kernels", "title": "By time",
            "columns": [{"key": "name", "label": "name", "unit": "", "format": "text"},
                        {"key": "time_s", "label": "time", "unit": "s", "format": "quantity",
                         "description": "Sum"}],
            "rows": [{"name": "gemm", "time_s": 0.5}, {"name": None, "time_s": None}]}]}]}

    def errors_with(self, change):
        output = copy.deepcopy(self.OUTPUT)
        change(output)
        return Validator(SCHEMA).errors(output)

    def test_the_output_itself_is_valid(self):
        self.assertEqual(self.errors_with(lambda o: None), [])
        self.assertEqual(self.errors_with(lambda o: o.update(new_field=[1])), [], "fields may be added")
        self.assertEqual(self.errors_with(lambda o: o["findings"][0].update(id="run2.kernels")), [])

    def test_each_broken_rule_is_found(self):
        finding = lambda o: o["findings"][0]
        table = lambda o: finding(o)["tables"][0]
        columns = lambda o: table(o)["columns"]
        broken = {
            "schema_version is missing": lambda o: o.pop("schema_version"),
            "is not 3": lambda o: o.update(schema_version=1),
            "True is not 3": lambda o: o.update(schema_version=True),
            "findings is missing": lambda o: o.pop("findings"),
            "not of type array": lambda o: o.update(findings={}),
            "summary is missing": lambda o: finding(o).pop("summary"),
            "tables is missing": lambda o: finding(o).pop("tables"),
            "does not match": lambda o: finding(o).update(id="Kernels by time"),
            "'2.kernels' does not match": lambda o: finding(o).update(id="2.kernels"),
            "'run2.kernels' does not match": lambda o: table(o).update(id="run2.kernels"),
            "title: 3 is not of type string": lambda o: finding(o).update(title=3),
            "rows is missing": lambda o: table(o).pop("rows"),
            "has 0 elements": lambda o: table(o).update(columns=[]),
            "unit is missing": lambda o: columns(o)[0].pop("unit"),
            "none of": lambda o: columns(o)[0].update(format="percent"),
            "'s' is not ''": lambda o: columns(o)[0].update(unit="s"),
            "shorter than 1": lambda o: columns(o)[1].update(description=""),
            "rows[0].name: ['gemm'] is not of type": lambda o: table(o)["rows"][0].update(name=["gemm"]),
            "rows[0].time_s: True is not of type": lambda o: table(o)["rows"][0].update(time_s=True),
            "key: 'Time' does not match": lambda o: table(o)["rows"][0].update(Time=1),
            "rows[1]: 7 is not of type object": lambda o: table(o)["rows"].__setitem__(1, 7),
        }
        for message, change in broken.items():
            errors = self.errors_with(change)
            self.assertTrue(any(message in error for error in errors), (message, errors))

    def test_rules_stated_in_text_are_checked(self):
        for change in (lambda t: t["rows"][0].pop("name"),
                       lambda t: t["rows"][0].update(time_s="0.5"),
                       lambda t: t["rows"][0].update(name=1),
                       lambda t: t["columns"].append(t["columns"][0])):
            output = copy.deepcopy(self.OUTPUT)
            change(output["findings"][0]["tables"][0])
            self.assertTrue(list(rule_errors(output)))
        self.assertEqual(list(rule_errors(self.OUTPUT)), [])

    def test_keywords_unknown_to_the_validator_are_errors(self):
        for schema in ({"maxLength": 3}, {"properties": {"a": {"oneOf": []}}}, {"type": "text"},
                       {"$ref": "other.json"}, {"$ref": "#/$defs/none"}):
            with self.assertRaises(SchemaError):
                Validator(schema).errors({"a": "text"})

    def test_no_number_that_json_lacks(self):
        with self.assertRaises(ValueError):
            parse('{"a": NaN}')


if __name__ == "__main__":
    unittest.main()
