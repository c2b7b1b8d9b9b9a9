/** Program of tasks for the test of child processes: replies with its process id. */
export type TestTask = 'pid' | 'exhaust' | 'hang'

process.on('message', (task: TestTask) => {
  if (task === 'hang') for (;;);
  const values: number[][] = []
  while (task === 'exhaust') values.push(Array.from({ length: 100_000 }, () => values.length))
  process.send?.({ result: process.pid })
})
// The parent process ended.
process.once('disconnect', () => process.exit())
process.send?.('ready')
