/**
 * Prints new secrets as lines of a `.env`, for `docker-compose.yml`; the local stack generates its
 * own.
 */

import { callingServices, generateSecrets } from '../infra/local/secrets.ts'
import { databaseSchemaOf, services } from '../packages/contracts/src/operation.ts'

const secrets = generateSecrets()
const suffix = (service: (typeof services)[number]) => databaseSchemaOf(service).toUpperCase()
const publicKeys = callingServices.map((name) => [name, secrets.callerKeys[name].publicKey])

const lines = [
  `POSTGRES_PASSWORD=${secrets.superuserPassword}`,
  `ENCRYPTION_KEY=${secrets.encryptionKey}`,
  `SESSION_SECRET=${secrets.sessionSecret}`,
  ...services.map((name) => `DATABASE_PASSWORD_${suffix(name)}=${secrets.databasePasswords[name]}`),
  ...services.map((name) => `NATS_PASSWORD_${suffix(name)}=${secrets.natsPasswords[name]}`),
  // Without quotes, which `kubectl create secret --from-env-file` would keep as part of the value.
  `CALLER_PUBLIC_KEYS=${JSON.stringify(Object.fromEntries(publicKeys))}`,
  ...callingServices.map(
    (name) => `CALLER_PRIVATE_KEY_${suffix(name)}=${secrets.callerKeys[name].privateKey}`,
  ),
]
console.log(lines.join('\n'))
