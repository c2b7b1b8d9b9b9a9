/** `npm test`: installs what is missing, then runs every test, or those below the paths given. */
import { handOver, install } from './install.mjs'

install()
handOver('scripts/run-tests.ts', process.argv.slice(2))
