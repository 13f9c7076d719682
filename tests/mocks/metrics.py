"""Reads metrics with Prometheus' own parser, and prints each sample as a line of JSON."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

for family in text_string_to_metric_families(sys.stdin.read()):
    for sample in family.samples:
        line = {
            "name": sample.name,
            "labels": sample.labels,
            "value": sample.value,
            "kind": family.type,
            "help": family.documentation,
        }
        print(json.dumps(line))
