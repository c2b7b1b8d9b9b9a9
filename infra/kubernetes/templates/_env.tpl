{{/* Settings of one service: (dict "root" $ "name" service). A variable refers only to earlier ones. */}}
{{- define "status-page.env" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $suffix := include "status-page.suffix" $name -}}
{{- $values := $root.Values -}}
{{- $database := $values.database -}}
{{- include "status-page.secretEnv" (dict "root" $root "name" "DATABASE_PASSWORD" "key" (printf "DATABASE_PASSWORD_%s" $suffix)) }}
- name: DATABASE_URL
  value: {{ printf "postgres://%s%s:$(DATABASE_PASSWORD)@%s:%v/%s" $database.rolePrefix (replace "-" "_" $name) (required "database.host is required" $database.host) $database.port $database.name }}
  {{- with $database.parameters }}?{{ . }}{{ end }}
{{- if $values.nats.enabled }}
{{ include "status-page.secretEnv" (dict "root" $root "name" "NATS_PASSWORD" "key" (printf "NATS_PASSWORD_%s" $suffix)) }}
- name: NATS_URL
  value: {{ printf "%s://%s%s:$(NATS_PASSWORD)@%s:%v" $values.nats.scheme $values.nats.prefix $name (required "nats.host is required unless nats.enabled is false" $values.nats.host) $values.nats.port }}
{{- end }}
{{- with $values.nats.prefix }}
- name: NATS_PREFIX
  value: {{ . | quote }}
{{- end }}
{{ include "status-page.secretEnv" (dict "root" $root "name" "ENCRYPTION_KEY" "key" "ENCRYPTION_KEY") }}
- name: ENCRYPTION_KEY_PREVIOUS
  valueFrom: { secretKeyRef: { name: {{ include "status-page.secret" $root | quote }}, key: ENCRYPTION_KEY_PREVIOUS, optional: true } }
{{ include "status-page.secretEnv" (dict "root" $root "name" "CALLER_PUBLIC_KEYS" "key" "CALLER_PUBLIC_KEYS") }}
{{- if has $name (list "gateway" "core" "config-sync") }}
{{ include "status-page.secretEnv" (dict "root" $root "name" "CALLER_PRIVATE_KEY" "key" (printf "CALLER_PRIVATE_KEY_%s" $suffix)) }}
{{- end }}
{{- if eq $name "gateway" }}
{{ include "status-page.secretEnv" (dict "root" $root "name" "SESSION_SECRET" "key" "SESSION_SECRET") }}
- name: PAGE_CACHE_DIR
  value: /var/cache/status-page
- name: DASHBOARD_DIR
  value: /app/packages/dashboard/dist
{{- end }}
{{- if $values.metricsToken.existingSecret }}
- name: METRICS_TOKEN
  valueFrom: { secretKeyRef: { name: {{ $values.metricsToken.existingSecret | quote }}, key: {{ $values.metricsToken.key | quote }} } }
{{- end }}
- name: BASE_URL
  value: {{ $values.baseUrl | quote }}
{{- range $service, $_ := $values.services }}
- name: {{ include "status-page.suffix" $service }}_URL
  value: http://{{ include "status-page.fullname" $root }}-{{ $service }}:{{ $values.service.port }}
{{- end }}
{{- $own := index $values.services $name }}
{{- include "status-page.extraEnv" (dict "env" (merge (dict) $own.env $values.env) "secretEnv" (merge (dict) $own.secretEnv $values.secretEnv)) }}
{{- end -}}
