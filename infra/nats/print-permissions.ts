/**
 * Prints the authorization of a nats-server: `print-permissions.ts first_ second_` for two installations
 * with these prefixes, without a parameter for one that has none.
 */
import { natsPermissionsOf } from './permissions.ts'

const prefixes = process.argv.slice(2)
try {
  process.stdout.write(natsPermissionsOf(prefixes.length > 0 ? prefixes : ['']))
} catch (error) {
  console.error(`${(error as Error).message}.`)
  process.exit(1)
}
