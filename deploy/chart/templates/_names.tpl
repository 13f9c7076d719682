{{- define "docwright.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of all objects. It leaves room for suffixes. */}}
{{- define "docwright.fullname" -}}
{{- $name := include "docwright.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 48 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 48 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 48 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "docwright.selectorLabels" -}}
app.kubernetes.io/name: {{ include "docwright.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "docwright.labels" -}}
{{ include "docwright.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "docwright.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The path of the site, for routes. */}}
{{- define "docwright.path" -}}
{{- default "/" .Values.basePath }}
{{- end }}

{{/* The kind of the workload: only a StatefulSet gives pods names that they keep. */}}
{{- define "docwright.kind" -}}
{{- ternary "Deployment" "StatefulSet" (eq .Values.cache.kind "pod") }}
{{- end }}
