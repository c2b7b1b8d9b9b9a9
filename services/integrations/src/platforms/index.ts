/** Registry of metrics platforms. */
import type { IntegrationType } from '@status-page/contracts'
import { datadog } from './datadog.ts'
import { grafana } from './grafana.ts'
import { newrelic } from './newrelic.ts'
import type { Platform } from './platform.ts'
import { prometheus } from './prometheus.ts'

export type Platforms = { [Kind in IntegrationType]: Platform<Kind> }

export const platforms: Platforms = { datadog, prometheus, grafana, newrelic }
