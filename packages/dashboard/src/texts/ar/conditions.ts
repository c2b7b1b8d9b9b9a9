/** Arabic texts of the conditions of checks. */
import type { conditions as model } from '../en/conditions.ts'

export const conditions: typeof model = {
  addCondition: 'إضافة شرط',
  condition: 'الشرط {number}',
  conditionType: 'نوع الشرط {number}',
  comparator: 'مقارنة الشرط {number}',
  target: 'القيمة المتوقعة للشرط {number}',
  conditionTypes: {
    STATUS_CODE: 'رمز الحالة',
    RESPONSE_TIME: 'زمن الاستجابة (م.ث)',
    JSON_PATH: 'قيمة JSON',
    HEADER: 'ترويسة الاستجابة',
    BODY_CONTAINS: 'المحتوى',
    BANNER: 'رسالة ترحيب الخادم',
    CERTIFICATE_DAYS: 'الشهادة، الأيام المتبقية',
    DNS_RECORD: 'سجل DNS',
    DOMAIN_DAYS: 'تسجيل النطاق، الأيام المتبقية',
  },
  comparators: {
    EQUALS: 'يساوي',
    NOT_EQUALS: 'لا يساوي',
    GREATER_THAN: 'أكبر من',
    LESS_THAN: 'أصغر من',
    CONTAINS: 'يحتوي على',
    EXISTS: 'موجود',
    NOT_EXISTS: 'غير موجود',
  },
}
