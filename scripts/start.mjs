/** `npm start`: installs what is missing, then runs the whole service on this machine. */
import { handOver, install } from './install.mjs'

install()
handOver('infra/local/main.ts', process.argv.slice(2))
