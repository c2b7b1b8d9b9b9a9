/**
 * Preloaded: resolves the modules of drizzle by their names alone. Node otherwise reads the
 * package's `package.json` for the format of each module and parses its 180 kB list of exports for
 * each of some two hundred, half a second of processor time at the start of every process.
 */
import { registerHooks } from 'node:module'

const FOLDER = '/node_modules/drizzle-orm/'

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    const isOwn = specifier.startsWith('.') && parentURL?.includes(FOLDER) === true
    if (!(isOwn && parentURL.endsWith('.js') && specifier.endsWith('.js'))) {
      return next(specifier, context)
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  },
})
