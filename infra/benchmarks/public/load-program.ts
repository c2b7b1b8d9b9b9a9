/** Load generator in a process of its own: one measurement per message. */
import { type LoadOptions, measureClosedLoop } from '../measure/load.ts'

process.on('message', (load: LoadOptions) => {
  measureClosedLoop(load).then((measured) => process.send?.(measured))
})
