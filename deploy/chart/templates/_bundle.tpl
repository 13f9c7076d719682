{{/* The values file of `docwright deploy`. */}}
{{- define "docwright.valuesFile" -}}
{{- with .Values.staticExport -}}
staticExport:
  enabled: {{ .enabled }}
  {{- with .source }}
  {{- if .url }}
  source:
    url: {{ .url | quote }}
    keyFile: /etc/docwright-key/key
    domain: {{ .domain | quote }}
    {{- with .deployment }}
    deployment: {{ . | quote }}
    {{- end }}
    pollSeconds: {{ int64 .pollSeconds }}
  {{- end }}
  {{- end }}
  {{- with .folder }}
  folder: {{ . | quote }}
  {{- end }}
  {{- with .bundleUrl }}
  bundleUrl: {{ . | quote }}
  {{- end }}
  {{- with .version }}
  version: {{ . | quote }}
  {{- end }}
  {{- with .sha256 }}
  sha256: {{ . | quote }}
  {{- end }}
  {{- with .publicKey }}
  publicKey: {{ . | quote }}
  {{- end }}
  {{- /* Helm reads numbers as floats, and would write 4.294967296e+09. */}}
  maximumBytes: {{ int64 .maximumBytes }}
{{- end }}
{{- end }}

{{/*
The name of the Secret with the values file. It contains a hash of the file: pods of a new version have a Secret of
their own, so a wrong link can't change what the running pods serve.
*/}}
{{- define "docwright.secretName" -}}
{{- if .Values.staticExport.existingSecret }}
{{- .Values.staticExport.existingSecret }}
{{- else }}
{{- printf "%s-%s" (include "docwright.fullname" .) (include "docwright.valuesFile" . | sha256sum | trunc 10) }}
{{- end }}
{{- end }}
