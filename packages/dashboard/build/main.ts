/** Builds the dashboard, for containers. */
import { buildDashboard } from './build.ts'

await buildDashboard()
