{{/* Each host with its own port or that of the values: (dict "host" host "port" port). */}}
{{- define "status-page.hosts" -}}
{{- $port := .port -}}
{{- $hosts := list -}}
{{- range splitList "," .host }}
{{- $hosts = append $hosts (regexMatch ":[0-9]+$" . | ternary . (printf "%s:%v" . $port)) }}
{{- end }}
{{- join "," $hosts -}}
{{- end -}}

{{/* Ports of hosts for a network policy, as JSON: the list of (dict "host" host "port" port). */}}
{{- define "status-page.hostPorts" -}}
{{- $ports := list -}}
{{- range . }}
{{- range include "status-page.hosts" . | splitList "," }}
{{- $ports = append $ports (dict "port" (splitList ":" . | last | int) "protocol" "TCP") }}
{{- end }}
{{- end }}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{/* URL of a role in Postgres: (dict "root" $ "name" service "host" host). */}}
{{- define "status-page.databaseUrl" -}}
{{- $database := .root.Values.database -}}
postgres://{{ $database.rolePrefix }}{{ replace "-" "_" .name }}:$(DATABASE_PASSWORD)@{{ include "status-page.hosts" (dict "host" .host "port" $database.port) }}/{{ $database.name }}
{{- with $database.parameters }}?{{ . }}{{ end -}}
{{- end -}}

{{/* Settings of one service: (dict "root" $ "name" service). A variable refers only to earlier ones. */}}
{{- define "status-page.env" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $suffix := include "status-page.suffix" $name -}}
{{- $values := $root.Values -}}
{{- $database := $values.database -}}
{{- include "status-page.secretEnv" (dict "root" $root "name" "DATABASE_PASSWORD" "key" (printf "DATABASE_PASSWORD_%s" $suffix)) }}
- name: DATABASE_URL
  value: {{ include "status-page.databaseUrl" (dict "root" $root "name" $name "host" (required "database.host is required" $database.host)) | quote }}
{{- with $database.directHost }}
- name: DATABASE_DIRECT_URL
  value: {{ include "status-page.databaseUrl" (dict "root" $root "name" $name "host" .) | quote }}
{{- end }}
{{- if $values.nats.enabled }}
{{ include "status-page.secretEnv" (dict "root" $root "name" "NATS_PASSWORD" "key" (printf "NATS_PASSWORD_%s" $suffix)) }}
- name: NATS_URL
  value: {{ printf "%s://%s%s:$(NATS_PASSWORD)@%s" $values.nats.scheme $values.nats.prefix $name (include "status-page.hosts" (dict "host" (required "nats.host is required unless nats.enabled is false" $values.nats.host) "port" $values.nats.port)) | quote }}
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
{{- with $values.tracing.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ $values.tracing.sampleRatio | quote }}
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
