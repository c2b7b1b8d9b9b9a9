/** Forms of channels have all fields of the contract, and send only what the user changed. */
import { channelTypes, REDACTED } from '@status-page/contracts'
import t from 'tap'
import { REDACTED as marker } from '../api/redacted.ts'
import { de as language } from '../texts/de/index.ts'
import { LoadedTexts } from '../texts/loaded-texts.ts'
import {
  type ChannelData,
  channelKinds,
  configErrorOf,
  configFields,
  creationOf,
  fieldLabel,
  hasStored,
  noSecrets,
  patchOf,
  shownErrors,
  typeHint,
  typeName,
  valuesOf,
} from './draft.ts'

const german = new LoadedTexts(language)
await german.load(['channels'])
const de = german.texts

t.test(
  'a field of a configuration has a name of its own, and its secrets are no values',
  async (t) => {
    t.equal(marker, REDACTED)
    const general = new Set([
      'name',
      'isEnabled',
      'events',
      'componentIds',
      'impacts',
      'messageTemplate',
    ])
    const values = valuesOf({})
    for (const kind of channelKinds) {
      for (const { name, isSecret } of configFields(kind)) {
        t.notOk(general.has(name), name)
        t.equal(name in values, !isSecret, name)
      }
    }
  },
)

t.test('every type has a name, and an unknown type is its own name', async (t) => {
  for (const type of channelTypes) t.not(typeName(type, de), type)
  t.same(channelKinds, channelTypes)
  t.equal(typeName('email', de), 'E-Mail')
  t.equal(typeName('teams', de), 'Microsoft Teams')
  t.equal(typeName('pager', de), 'pager')
  t.equal(typeHint('teams', de.channels), 'Karten in einem Channel, über einen Workflow')
})

t.test('a field without a text is labelled by its identifier', async (t) => {
  t.equal(fieldLabel('username', de.channels), 'Benutzername')
  t.equal(fieldLabel('chatId', de.channels), 'Chat id')
})

const mail = {
  id: 'c',
  type: 'email',
  name: 'Team',
  isEnabled: true,
  events: [],
  componentIds: [],
  impacts: [],
  messageTemplate: null,
  config: {
    smtpHost: 'smtp.example.com',
    smtpPort: 587,
    secure: false,
    password: REDACTED,
    fromAddress: 'a@example.com',
    recipients: ['b@example.com', 'c@example.com'],
  },
} as unknown as ChannelData

t.test('a channel and its values are converted', async (t) => {
  const values = valuesOf(mail)
  t.equal(values.smtpPort, '587')
  t.equal(values.recipients, 'b@example.com\nc@example.com')
  t.ok(hasStored(mail, 'password'))
  t.notOk(hasStored(mail, 'bounceSecret'))
  t.notOk(JSON.stringify(values).includes(REDACTED), 'secrets are no values')
})

t.test('a patch has the changes and the entered secrets only', async (t) => {
  t.same(patchOf('email', {}, noSecrets), {})
  t.same(patchOf('email', { name: 'New', messageTemplate: '' }, noSecrets), {
    name: 'New',
    messageTemplate: null,
  })
  const changes = { smtpPort: '', username: '', recipients: ' d@example.com,\n', url: 'x' }
  const secrets = { values: { password: 'new', bounceSecret: null }, headers: null }
  t.same(patchOf('email', changes, secrets), {
    config: {
      smtpPort: null,
      username: null,
      recipients: ['d@example.com'],
      password: 'new',
      bounceSecret: null,
    },
  })
})

t.test('a new channel has the fields of its type', async (t) => {
  const values = { ...valuesOf({}), name: 'Ops', url: ' https://example.com ', smtpHost: 'other' }
  const headers = [
    { key: 1, name: 'X-Key', value: 'secret' },
    { key: 2, name: '', value: 'unnamed' },
  ]
  t.same(creationOf('webhook', values, { values: {}, headers }), {
    type: 'webhook',
    name: 'Ops',
    isEnabled: true,
    events: [],
    componentIds: [],
    impacts: [],
    messageTemplate: null,
    config: { url: 'https://example.com', method: 'POST', headers: { 'X-Key': 'secret' } },
  })
})

t.test('errors are at their fields', async (t) => {
  const errors = { 'config.headers.X-Key': 'wrong', 'config.url': 'no', 'events[1]': 'bad' }
  t.equal(configErrorOf(errors, 'headers'), 'wrong')
  t.equal(configErrorOf(errors, 'method'), undefined)
  t.same(shownErrors('webhook', errors), Object.keys(errors))
  t.same(shownErrors('slack', { 'config.url': 'no', name: 'taken', type: 'x' }), ['name'])
})
