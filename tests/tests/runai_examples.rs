//! Every worked example of runai.md by name; the numbers are normative, including the vendor's own.

use fairground_tests::runai::check;

fairground_tests::worked_examples! {
    "runai/worked-examples.jsonl", check;
    /// The documentation: Project 2 of 36 GPUs, 17, 16 and 3.
    project_2_of_36_gpus = "runai-01-project2-36";
    /// The documentation: 6 + 10 = 16.
    project_2_of_40_gpus = "runai-02-project2-40";
    /// The documentation: 75 to 25 by quota.
    in_proportion_to_quota = "runai-03-proportional";
    /// The documentation: 25 to 75 with low and high.
    by_low_and_high = "runai-04-low-high";
    two_departments_divide_first = "runai-05-two-departments";
    whoever_is_satisfied_leaves_the_rest_to_others = "runai-06-caps";
    lowest_and_none_get_no_over_quota = "runai-07-lowest-none";
    /// A published lab of 16 GPUs: +4, +2, +2.
    the_published_lab = "runai-08-validation-lab";
    over_subscribed_quotas_are_not_scaled_down = "runai-09-over-subscribed";
    project_quotas_above_the_quota_of_their_department = "runai-10-department-supersedes";
    the_same_with_a_full_pool = "runai-19-department-supersedes-full";
    /// The vendor's quick start: the newest is displaced.
    the_quick_start = "runai-11-quickstart";
    /// The vendor's walk-through: exactly two are displaced.
    exactly_two_are_displaced = "runai-12-queue-fairness";
    victims_come_from_the_queue_over_fairshare = "runai-13-victim-queues";
    victims_below_their_own_quota = "runai-14-below-quota-victims";
    non_preemptible_work_stops_at_the_quota = "runai-15-priority-preempt";
    /// The published lab again: b and c lose one each.
    the_lab_rebalances = "runai-16-lab-rebalance";
    idle_devices_are_used_beyond_fairshare_and_given_back = "runai-17-beyond-fairshare";
    over_subscription_is_first_come_first_served = "runai-18-over-subscription";
    fractions_packed_spread_and_moved = "runai-20-fractions";
    the_worst_resource_is_the_state = "runai-21-multi-resource";
    history_bends_weights = "runai-7.6-time-based";
}
