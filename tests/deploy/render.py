"""Renders and lints the chart with Helm's engine, for the tests: JSON in, JSON out."""

import json
import sys

import helm_python as helm

request = json.load(sys.stdin)
if request["operation"] == "lint":
    report = helm.lint(request["chart"], request["values"], strict=True)
    # 1 is information.
    answer = [message["error"] for message in report["messages"] if message["severity"] > 1] + report["errors"]
else:
    with helm.Chart.load(request["chart"]) as chart:
        try:
            chart.validate_schema(request["values"])
            answer = {"files": chart.render(request["values"], name=request["name"], namespace="web")}
        except helm.HelmError as error:
            answer = {"error": str(error)}
json.dump(answer, sys.stdout)
