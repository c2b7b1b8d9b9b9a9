/** Japanese names of statuses, impacts and severities. */
import type { names as model } from '../en/names.ts'

export const names: typeof model = {
  components: {
    operational: '正常',
    degraded_performance: 'パフォーマンス低下',
    partial_outage: '一部障害',
    major_outage: '重大な障害',
    under_maintenance: 'メンテナンス中',
  },
  incidents: {
    investigating: '調査中',
    identified: '原因特定',
    monitoring: '監視中',
    resolved: '解決済み',
  },
  maintenances: {
    scheduled: '予定',
    in_progress: '実施中',
    verifying: '確認中',
    completed: '完了',
    cancelled: '中止',
  },
  impacts: { minor: '軽微', major: '重大', critical: '致命的' },
  severities: { critical: '致命的', warning: '警告' },
}
