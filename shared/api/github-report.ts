/** Messages of GitHub's secret scanning: the partner format for API keys that were found in public repositories. */
import { z } from 'zod';

/** What was found. GitHub sends a few findings at a time. */
export const githubReportRequest = z
  .array(z.object({ token: z.string(), type: z.string(), url: z.string().nullish(), source: z.string().nullish() }))
  .max(500);

/** Whether each finding is one of this server's API keys. */
export const githubReportResponse = z.array(
  z.object({ token_raw: z.string(), token_type: z.string(), label: z.enum(['true_positive', 'false_positive']) }),
);
export type GithubReportResponse = z.infer<typeof githubReportResponse>;
