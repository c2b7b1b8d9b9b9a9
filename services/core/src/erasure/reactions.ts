/** The address of a deleted account leaves the stored events of core. */
import { type Reaction, reaction } from '@status-page/bus'
import { accountErased } from '@status-page/contracts'
import { redactPlumbing } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'

export const erasedAccountReaction = (sealer: Sealer): Reaction =>
  reaction({
    consumer: 'core-erased-accounts',
    on: [accountErased],
    async handle(scope, { aggregate, data }) {
      const { organizationId } = scope
      const context = { organizationId, purpose: 'erased-address', recordId: aggregate.id } as const
      await redactPlumbing(scope, sealer.open(data.sealedAddress, context))
      return { result: undefined, events: [], audit: [] }
    },
  })
