/** Load generator in a process of its own: one measurement per message. */
import { type Load, measureFull } from '../measure/load.ts'

process.on('message', (load: Load) => {
  measureFull(load).then((measured) => process.send?.(measured))
})
