/** Settings of config-sync: those that every service has. */
import { defineConfig } from '@status-page/service'

export const config = defineConfig({})
