/** Ids and times that the examples share, so that they are consistent with each other. */
const id = (last: string) => `019a3c5e-7b1f-7c2a-9d4e-${last.padStart(12, '0')}`

export const exampleIds = {
  organization: id('a1'),
  user: id('a2'),
  colleague: id('a3'),
  session: id('a4'),
  key: id('a5'),
  role: id('a6'),
  invitation: id('a7'),
  audit: id('a8'),
  component: id('c1'),
  group: id('c2'),
  location: id('c8'),
  agent: id('c9'),
  integration: id('c3'),
  metricQuery: id('c7'),
  copy: id('c4'),
  sla: id('c5'),
  check: id('c6'),
  incident: id('d1'),
  update: id('d2'),
  firstUpdate: id('d3'),
  postmortem: id('d4'),
  draft: id('d7'),
  template: id('d5'),
  maintenanceTemplate: id('d8'),
  maintenance: id('d6'),
  maintenanceUpdate: id('d7'),
  subscriber: id('e1'),
  page: id('e2'),
  upload: id('e3'),
  delivery: id('f1'),
  event: id('f2'),
  channel: id('f3'),
  schedule: id('01'),
  layer: id('02'),
  override: id('03'),
  alert: id('04'),
  gitSync: id('07'),
  syncRun: id('08'),
  failedRun: id('09'),
  configVersion: id('0a'),
}

export const exampleTimes = {
  founded: '2026-07-01T08:00:00.000Z',
  failed: '2026-08-01T09:30:00.000Z',
  announced: '2026-08-01T09:31:04.000Z',
  updated: '2026-08-01T09:45:00.000Z',
  nextUpdate: '2026-08-01T10:00:00.000Z',
  later: '2026-08-31T09:30:00.000Z',
}

export const exampleTimestamps = {
  createdAt: exampleTimes.founded,
  updatedAt: exampleTimes.founded,
}

export const successExample = { reply: { success: true } } as const

export const listReplyOf = <Item>(...data: Item[]) => ({
  data,
  meta: { total: data.length, page: 1, pageSize: 20 },
})
