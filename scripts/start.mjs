/** `npm start`: installs what is missing, then runs the whole service on this machine. */
import { install, runProgram } from './install.mjs'

install()
runProgram('infra/local/main.ts', process.argv.slice(2))
