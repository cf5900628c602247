//! Recordings, laws, examples, and checks on the source code.
//!
//! One program, because linking one takes much less time than linking one for each file.

mod baseline_examples;
mod citations;
mod coverage;
mod documents;
mod ego_examples;
mod ego_one_file;
mod eviction_reasons;
mod explanations;
mod golden;
mod golden_notices;
mod kai_priority_within_quota;
mod kai_revisions;
mod kai_upgrade;
mod known_answer;
mod kubernetes_import;
mod kueue_import;
mod laws_division;
mod laws_drawn;
mod laws_ego;
mod laws_gangs;
mod laws_gpu_memory;
mod laws_outlook;
mod laws_pools;
mod laws_runai;
mod laws_semi;
mod laws_sim;
mod philly_fifo;
mod philly_kai;
mod recorded_kinds;
mod rules_covered;
mod rules_of_dialects;
mod runai_examples;
mod runai_scenarios;
mod runai_semi;
mod seeded;
mod tidy;
mod translate_examples;
mod values_left_out;
mod worked_scenarios;
mod written;
mod yunikorn_examples;
mod yunikorn_gangs;
mod yunikorn_order;
mod yunikorn_table;
