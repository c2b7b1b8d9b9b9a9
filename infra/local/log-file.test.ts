/** A log file never ends the process that writes it. */
import { existsSync } from 'node:fs'
import t from 'tap'
import { openLogFile } from './log-file.ts'

/** Device of Linux on which each write fails with ENOSPC. */
const FULL = '/dev/full'

t.test(
  'a full disk loses lines of the log, and nothing else',
  { skip: existsSync(FULL) ? false : 'this system has no /dev/full' },
  (t) => {
    const lines: string[] = []
    const file = openLogFile(FULL, (line) => lines.push(line))
    t.teardown(() => file.close())
    file.write(Buffer.from('first\nsecond\n'))
    t.same(lines, ['first', 'second'])
    t.same(file.tail(), ['first', 'second'], 'the lines remain for the error message of a crash')
    t.end()
  },
)
