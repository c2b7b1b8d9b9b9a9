/** Table of contents of config-sync. */
import type { Static } from '@sinclair/typebox'
import { type Resources, type ServiceApp, serve } from '@status-page/service'
import type { config } from './config.ts'

export const buildApp = (resources: Resources<Static<typeof config>>): ServiceApp => ({
  http: serve({ ...resources, routes: [] }),
  reactions: [],
  due: [],
})
