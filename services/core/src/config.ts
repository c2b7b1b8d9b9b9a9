/** Core's settings: those of every service are enough. */
import { defineConfig } from '@status-page/service'

export const config = defineConfig({})
