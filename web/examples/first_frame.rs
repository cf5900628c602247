//! Writes the static first frame of the page, which the build puts into its HTML.

fn main() {
    println!("{}", fairground_web::first_frame::markup());
}
