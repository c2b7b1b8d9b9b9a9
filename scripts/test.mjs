/** `npm test`: installs what is missing, then runs every test, or those below the paths given. */
import { install, runProgram } from './install.mjs'

install()
runProgram('scripts/run-tests.ts', process.argv.slice(2))
