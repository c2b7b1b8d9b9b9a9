/** `doctor` of the image: checks the installation with the settings of a service. */
import { runDoctorCommand } from './command.ts'

process.exit(await runDoctorCommand(process.argv.slice(2), process.env))
