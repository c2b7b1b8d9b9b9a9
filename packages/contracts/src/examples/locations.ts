/** Examples of private locations and of the protocol of their agents. */
import {
  type Agent,
  agentOperations,
  locationOperations,
  type PrivateLocation,
  successReply,
} from '../index.ts'
import { examplesOf } from './example.ts'
import { exampleIds, exampleTimes, listReplyOf } from './values.ts'

const agent: Agent = {
  id: exampleIds.agent,
  name: 'berlin-1',
  version: '0.1.0',
  canPing: true,
  lagSeconds: 0,
  lastContactAt: exampleTimes.announced,
  isStale: false,
  createdAt: exampleTimes.founded,
}

const location: PrivateLocation = {
  id: exampleIds.location,
  name: 'berlin-office',
  location: 'private:berlin-office',
  description: 'Network of the office',
  status: 'active',
  lastContactAt: exampleTimes.announced,
  agents: [agent],
  enrolmentExpiresAt: exampleTimes.announced,
  createdAt: exampleTimes.founded,
  updatedAt: exampleTimes.founded,
}

const enrolmentToken = 'V5mQ0aYtR2xLc9HnB7jKd3PwZ1uGfE8sTiO4vXyMqAk'

export const locationExamples = [
  ...examplesOf(locationOperations, {
    list: { reply: listReplyOf(location) },
    read: { reply: location },
    create: {
      body: { name: 'berlin-office', description: 'Network of the office' },
      reply: {
        ...location,
        status: 'waiting',
        lastContactAt: null,
        agents: [],
        enrolmentToken,
      },
    },
    remove: { reply: successReply },
    rotateToken: { reply: { enrolmentToken, enrolmentExpiresAt: exampleTimes.announced } },
    removeAgent: { reply: successReply },
  }),
  ...examplesOf(agentOperations, {
    enrol: {
      body: {
        name: 'berlin-1',
        version: '0.1.0',
        tokenHash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        publicKey: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo',
      },
      reply: {
        id: exampleIds.agent,
        organizationId: exampleIds.organization,
        location: 'private:berlin-office',
      },
    },
    assignments: {
      body: { version: null, agentVersion: '0.1.0', canPing: true, lagSeconds: 0 },
      reply: {
        version: 'mF0rQhT2kVb8sYc3jXzLw5nEa7uGpD1iKoM4tBqRe9c',
        now: exampleTimes.announced,
        pollSeconds: 5,
        targets: [{ componentId: exampleIds.component, version: 3 }],
      },
    },
    targets: {
      body: { componentIds: [exampleIds.component] },
      reply: {
        targets: [
          {
            componentId: exampleIds.component,
            version: 3,
            intervalSeconds: 60,
            timeoutMs: 10_000,
            probe: { kind: 'icmp', url: 'icmp://10.0.0.5', conditions: [] },
          },
        ],
      },
    },
    results: {
      body: {
        results: [
          {
            componentId: exampleIds.component,
            slotAt: exampleTimes.failed,
            result: {
              status: 'SUCCESS',
              statusCode: null,
              responseMs: 2,
              error: null,
              conditionResults: [],
              checkedAtMs: Date.parse(exampleTimes.failed),
              timings: { dns: null, connect: null, tls: null, firstByte: 2 },
              certificateExpiresAt: null,
            },
          },
        ],
      },
      reply: { accepted: 1, ignored: 0 },
    },
  }),
]
