/** English texts; the other languages have their shape. */
import { access } from './access.ts'
import { application } from './application.ts'
import { channels } from './channels.ts'
import { componentScreens } from './components.ts'
import { composer } from './composer.ts'
import { configuration } from './configuration.ts'
import { deliveries } from './deliveries.ts'
import { firstRun } from './first-run.ts'
import { gitSync } from './git-sync.ts'
import { imports } from './imports.ts'
import { incident } from './incident.ts'
import { integrations } from './integrations.ts'
import { kit } from './kit.ts'
import { maintenance } from './maintenance.ts'
import { names } from './names.ts'
import { onCall } from './on-call.ts'
import { organizationScreens } from './organization.ts'
import { overview } from './overview.ts'
import { ownAccount } from './own-account.ts'
import { palette } from './palette.ts'
import { serviceLevel } from './service-level.ts'
import { statusPages } from './status-pages.ts'
import { subscribers } from './subscribers.ts'

export const en = {
  ...application,
  ...kit,
  ...names,
  access,
  channels,
  organizationScreens,
  ownAccount,
  overview,
  componentScreens,
  composer,
  deliveries,
  configuration,
  firstRun,
  gitSync,
  imports,
  incident,
  onCall,
  integrations,
  maintenance,
  palette,
  serviceLevel,
  subscribers,
  statusPages,
}

export type Texts = typeof en
