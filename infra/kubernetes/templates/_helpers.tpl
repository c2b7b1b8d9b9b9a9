{{/* Name of the release's objects. */}}
{{- define "status-page.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a component: (dict "root" $ "component" name). */}}
{{- define "status-page.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "status-page.labels" -}}
{{ include "status-page.selector" . }}
app.kubernetes.io/part-of: status-page
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "status-page.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}
{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "status-page.secret" -}}
{{- required "secrets.existingSecret is required: create it from the output of the command `secrets` of the image" .Values.secrets.existingSecret -}}
{{- end -}}

{{/* Suffix of a service in names of settings: CONFIG_SYNC. */}}
{{- define "status-page.suffix" -}}
{{- . | upper | replace "-" "_" -}}
{{- end -}}

{{- define "status-page.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "status-page.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
capabilities: { drop: [ALL] }
{{- end -}}

{{/* One setting from a key of the installation's secret: (dict "root" $ "name" name "key" key). */}}
{{- define "status-page.secretEnv" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ include "status-page.secret" .root | quote }}, key: {{ .key | quote }} } }
{{- end -}}

{{/* Settings of a map, and settings from secrets: (dict "env" map "secretEnv" map). */}}
{{- define "status-page.extraEnv" -}}
{{- range $name, $value := .env }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $source := .secretEnv }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $source.name | quote }}, key: {{ $source.key | quote }} } }
{{- end }}
{{- end -}}
