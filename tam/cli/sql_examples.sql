-- What has been read, per platform and kind of board
SELECT platform, kind, count(*) AS boards, sum(rows_seen) AS "rows", count(*) FILTER (NOT complete) AS incomplete
FROM boards GROUP BY ALL ORDER BY ALL;

-- The ten first places of one competition
SELECT rank, team, score_text, entries FROM board_rows
WHERE competition = 'SLUG' AND kind = 'private' ORDER BY position LIMIT 10;

-- How many teams share a score, board by board
SELECT platform, competition, kind, count(*) - count(DISTINCT score_text) AS tied FROM board_rows
GROUP BY ALL ORDER BY tied DESC LIMIT 20;

-- Why competitions did not become tasks
SELECT rule, count(*) AS tasks, any_value(reason) AS example FROM screenings
WHERE NOT passed GROUP BY rule ORDER BY tasks DESC;

-- Tasks by modality and difficulty, those that passed every rule
SELECT modality, count(*) FILTER (level = 'easy') AS easy, count(*) FILTER (level = 'medium') AS medium,
       count(*) FILTER (level = 'hard') AS hard
FROM tasks JOIN difficulties USING (task_id)
WHERE task_id NOT IN (SELECT task_id FROM screenings WHERE NOT passed) GROUP BY modality ORDER BY modality;

-- The members of a subset, with their titles
SELECT modality, level, task_id, title FROM subsets JOIN tasks USING (task_id, modality)
WHERE subset = 'lite' ORDER BY modality, level;

-- Runs compared: made, valid, mean rank
SELECT run, count(*) AS tasks, count(*) FILTER (made) AS made, count(*) FILTER (valid) AS valid,
       round(100 * avg(coalesce(rank_pct, 1)), 2) AS mean_rank_pct
FROM grades GROUP BY run ORDER BY mean_rank_pct;

-- Constraints that were broken, and why
SELECT run, task_id, constraint_text, reason FROM verdicts WHERE NOT passed ORDER BY run, task_id, constraint_index;

-- How often the board of a competition has changed
SELECT platform, competition, kind, count(*) AS readings, min(fetched_at) AS first, max(fetched_at) AS last
FROM boards_history GROUP BY ALL ORDER BY readings DESC LIMIT 20;

-- Competitions that the last crawls could not read
SELECT crawl_id, platform, competition, status, reason FROM crawl_results
WHERE status <> 'complete' ORDER BY crawl_id DESC, platform, competition;

-- The last jobs, with what they took
SELECT started_at, flow, status, round(seconds, 1) AS seconds, pages, "rows", tokens_in + tokens_out AS tokens, cost, error
FROM jobs ORDER BY started_at DESC LIMIT 20;

-- Refusals by reason, night by night
SELECT started_at::DATE AS night, flow, job_counts.platform, label AS reason, sum(value)::BIGINT AS times
FROM job_counts JOIN jobs USING (job_id) WHERE counter = 'refusals' GROUP BY ALL ORDER BY night DESC, times DESC;
