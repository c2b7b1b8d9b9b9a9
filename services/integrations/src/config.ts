/** Settings of integrations: those that every service has. */
import { defineConfig } from '@status-page/service'

export const config = defineConfig({})
