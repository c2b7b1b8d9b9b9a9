/** Arabic names of statuses, impacts and severities. */
import type { names as model } from '../en/names.ts'

export const names: typeof model = {
  components: {
    operational: 'يعمل',
    degraded_performance: 'أداء منخفض',
    partial_outage: 'انقطاع جزئي',
    major_outage: 'انقطاع كبير',
    under_maintenance: 'قيد الصيانة',
  },
  incidents: {
    investigating: 'قيد التحقيق',
    identified: 'تم تحديد السبب',
    monitoring: 'قيد المراقبة',
    resolved: 'تم الحل',
  },
  maintenances: {
    scheduled: 'مجدولة',
    in_progress: 'جارية',
    verifying: 'قيد التحقق',
    completed: 'مكتملة',
    cancelled: 'ملغاة',
  },
  impacts: { minor: 'طفيف', major: 'كبير', critical: 'حرج' },
  severities: { critical: 'حرج', warning: 'تحذير' },
}
